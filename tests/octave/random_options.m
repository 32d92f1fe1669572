% tests/octave/random_options.m: some options of a list in any order and in any case, for random_call
% SPDX-License-Identifier: GPL-3.0-or-later
%
% args = random_options (list, share): each row of list has a name and a cell with values, {} for a flag; each is taken
% with the probability `share` {0.2}. "device" with "cpu" or, where there is no GPU, "auto" is added to the list.

function args = random_options (list, share = 0.2)
  places = {"cpu"};
  if (isempty (gpulinalg_info ().devices))
    places{2} = "auto";
  endif
  list = [list; {"device", places}];
  args = {};
  for k = randperm (rows (list))
    if (rand () < share)
      name = list{k,1};
      if (rand () < 0.1)
        name = toupper (name);
      endif
      values = list{k,2};
      args{end+1} = name;
      if (! isempty (values))
        args{end+1} = values{randi(numel (values))};
      endif
    endif
  endfor
endfunction
